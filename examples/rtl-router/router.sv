// A wormhole router with virtual channels for meshes of two dimensions, dimension-order routing, all-port nodes: what
// docs/timing.md says of a router with a router delay of 1 in stages 2 to 6, in another language.
//
// Ports 0 to 3 are links, towards +x, -x, +y and -y (an input port has the number of the output port that it comes from),
// ports 4 to 7 injection and ejection channels. Input VCs are numbered port * V + vc on links and 4V + e on channels; so are
// output VCs. State after a rising edge is that of a cycle; outputs follow from it alone.
//
// A flit: message 63..32, x 31..24, y 23..16 of its destination, position in the message 15..2, tail 1, head 0.
module router #(
    parameter int V = 2,  // virtual channels of a link
    parameter int B = 8   // flits that an input virtual channel can hold, here and at the neighbours
) (
    input  logic        clk,
    input  logic        reset,
    input  logic [7:0]  here_x,
    input  logic [7:0]  here_y,
    // To this router.
    input  logic        in_valid     [8],
    input  logic [7:0]  in_vc        [8],
    input  logic [63:0] in_flit      [8],
    output logic        in_credit    [8],
    output logic [7:0]  in_credit_vc [8],
    // From this router.
    output logic        out_valid    [8],
    output logic [7:0]  out_vc       [8],
    output logic [63:0] out_flit     [8],
    input  logic        out_credit   [4],
    input  logic [7:0]  out_credit_vc[4]
);
  localparam int Links = 4;
  localparam int Ports = 8;
  localparam int First = Links * V;      // injection and ejection channel 0
  localparam int Count = First + Links;  // input VCs, and output VCs
  localparam int Groups = Links + 1;     // a group is a link port, or all ejection channels

  function automatic int port_of(int vc);
    return vc < First ? vc / V : Links + vc - First;
  endfunction
  function automatic int first_of(int port);
    return port < Links ? port * V : First + port - Links;
  endfunction
  function automatic int size_of(int port);
    return port < Links ? V : 1;
  endfunction

  // --- State

  // Links come through a register: a flit is usable one cycle later than one from the own network interface.
  logic        arriving     [Links];
  logic [7:0]  arriving_vc  [Links];
  logic [63:0] arriving_flit[Links];

  logic [63:0] fifo   [Count][B];
  int          front  [Count];
  int          length [Count];
  logic        active [Count];  // holds an output VC:
  int          output_of[Count];
  logic        held   [Count];  // output VCs that a message holds
  int          credits[Count];  // usable slots behind the output VCs of links

  // Round-robin pointers.
  int next_request[Groups];  // input VC
  int next_vc     [Groups];  // VC of the group, counted from its first
  int next_input  [Ports];   // VC of the input port, likewise
  int next_output [Ports];   // input port

  // --- Stage 4: routing and VC allocation

  logic [63:0] head_flit[Count];
  int          group    [Count];

  always_comb begin
    for (int i = 0; i < Count; i++) begin
      head_flit[i] = fifo[i][front[i]];
      if (head_flit[i][31:24] != here_x) group[i] = head_flit[i][31:24] > here_x ? 0 : 1;
      else if (head_flit[i][23:16] != here_y) group[i] = head_flit[i][23:16] > here_y ? 2 : 3;
      else group[i] = Links;
    end
  end

  logic now_active [Count];
  int   now_output [Count];
  logic now_held   [Count];
  int   now_request[Groups];
  int   now_vc     [Groups];

  always_comb begin
    int   asking, wanted, vcs;
    logic granted;
    now_active = active;
    now_output = output_of;
    now_held = held;
    now_request = next_request;
    now_vc = next_vc;
    for (int g = 0; g < Groups; g++) begin
      vcs = g < Links ? V : Links;
      for (int n = 0; n < Count; n++) begin
        asking = (next_request[g] + n) % Count;
        granted = length[asking] == 0 || active[asking] || group[asking] != g;
        for (int m = 0; m < Links + V; m++) begin
          wanted = first_of(g) + (now_vc[g] + m) % vcs;
          // At its destination a message takes the ejection channel of the port by which it came in.
          if (!granted && m < vcs && !now_held[wanted] &&
              (g < Links || wanted - First == port_of(asking) % Links)) begin
            granted = 1;
            now_active[asking] = 1;
            now_output[asking] = wanted;
            now_held[wanted] = 1;
            now_vc[g] = (wanted - first_of(g) + 1) % vcs;
            now_request[g] = (asking + 1) % Count;
            break;
          end
        end
      end
    end
  end

  // --- Stage 5: switch allocation, separable, input first

  logic picked[Ports];  // input ports
  int   pick  [Ports];
  logic won   [Ports];  // output ports
  int   winner[Ports];

  always_comb begin
    int candidate;
    logic [2:0] input_port;
    for (int p = 0; p < Ports; p++) begin
      picked[p] = 0;
      pick[p] = 0;
      for (int n = 0; n < V; n++) begin
        candidate = first_of(p) + (next_input[p] + n) % size_of(p);
        if (!picked[p] && n < size_of(p) && length[candidate] != 0 && now_active[candidate] &&
            (now_output[candidate] >= First || credits[now_output[candidate]] != 0)) begin
          picked[p] = 1;
          pick[p] = candidate;
        end
      end
    end
    for (int p = 0; p < Ports; p++) begin
      won[p] = 0;
      winner[p] = 0;
      for (int n = 0; n < Ports; n++) begin
        input_port = 3'(next_output[p] + n);
        if (!won[p] && picked[input_port] && port_of(now_output[pick[input_port]]) == p) begin
          won[p] = 1;
          winner[p] = pick[input_port];
        end
      end
    end
  end

  // --- Stage 6: traversal

  always_comb begin
    for (int p = 0; p < Ports; p++) begin
      in_credit[p] = 0;
      in_credit_vc[p] = 0;
    end
    for (int p = 0; p < Ports; p++) begin
      out_valid[p] = won[p];
      out_vc[p] = 8'(now_output[winner[p]] - first_of(p));
      out_flit[p] = head_flit[winner[p]];
      if (won[p]) begin
        in_credit[port_of(winner[p])] = 1;
        in_credit_vc[port_of(winner[p])] = 8'(winner[p] - first_of(port_of(winner[p])));
      end
    end
  end

  // --- What the edge at the end of the cycle does

  logic        leaves  [Count];  // a flit from this input VC
  logic        comes   [Count];  // a flit into it
  logic [63:0] newcomer[Count];
  logic        spent   [Count];  // a credit of this output VC
  logic        returned[Count];
  logic        ends    [Count];  // a message has left by it

  always_comb begin
    for (int i = 0; i < Count; i++) begin
      leaves[i] = 0;
      comes[i] = 0;
      newcomer[i] = 0;
      spent[i] = 0;
      returned[i] = 0;
      ends[i] = 0;
    end
    for (int p = 0; p < Ports; p++) begin
      if (won[p]) begin
        leaves[winner[p]] = 1;
        spent[now_output[winner[p]]] = 1;
        ends[now_output[winner[p]]] = head_flit[winner[p]][1];
      end
    end
    for (int p = 0; p < Links; p++) begin
      if (arriving[p]) begin
        comes[first_of(p) + 32'(arriving_vc[p])] = 1;
        newcomer[first_of(p) + 32'(arriving_vc[p])] = arriving_flit[p];
      end
      comes[First+p] = in_valid[Links+p];
      newcomer[First+p] = in_flit[Links+p];
      if (out_credit[p]) returned[first_of(p) + 32'(out_credit_vc[p])] = 1;
    end
  end

  always_ff @(posedge clk) begin
    if (reset) begin
      for (int i = 0; i < Count; i++) begin
        front[i] <= 0;
        length[i] <= 0;
        active[i] <= 0;
        output_of[i] <= 0;
        held[i] <= 0;
        credits[i] <= B;
      end
      for (int g = 0; g < Groups; g++) begin
        next_request[g] <= 0;
        next_vc[g] <= 0;
      end
      for (int p = 0; p < Ports; p++) begin
        next_input[p] <= 0;
        next_output[p] <= 0;
      end
      for (int p = 0; p < Links; p++) arriving[p] <= 0;
    end else begin
      for (int i = 0; i < Count; i++) begin
        if (leaves[i]) front[i] <= (front[i] + 1) % B;
        if (comes[i]) fifo[i][(front[i]+length[i])%B] <= newcomer[i];
        length[i] <= length[i] - 32'(leaves[i]) + 32'(comes[i]);
        active[i] <= now_active[i] && !(leaves[i] && head_flit[i][1]);
        output_of[i] <= now_output[i];
        held[i] <= now_held[i] && !ends[i];
        credits[i] <= credits[i] - 32'(spent[i]) + 32'(returned[i]);
      end
      next_request <= now_request;
      next_vc <= now_vc;
      for (int p = 0; p < Ports; p++) begin
        if (won[p]) begin
          next_output[p] <= (port_of(winner[p]) + 1) % Ports;
          next_input[port_of(winner[p])] <=
              (winner[p] - first_of(port_of(winner[p])) + 1) % size_of(port_of(winner[p]));
        end
      end
      for (int p = 0; p < Links; p++) begin
        arriving[p] <= in_valid[p];
        arriving_vc[p] <= in_vc[p];
        arriving_flit[p] <= in_flit[p];
      end
    end
  end
endmodule
