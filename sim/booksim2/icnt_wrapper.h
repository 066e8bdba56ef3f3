// BookSim2's interface as function pointers, as simulators of GPUs call it: a drop-in with flitscope behind
// it (docs/embedding.md, "BookSim2's interface").
#pragma once

#include <cstdio>

using icnt_create_p = void (*)(unsigned shaders, unsigned memories);
using icnt_init_p = void (*)();
using icnt_has_buffer_p = bool (*)(unsigned input, unsigned bytes);
using icnt_push_p = void (*)(unsigned input, unsigned output, void* data, unsigned bytes);
using icnt_pop_p = void* (*)(unsigned output);
using icnt_transfer_p = void (*)();
using icnt_busy_p = bool (*)();
using icnt_drain_p = void (*)();
using icnt_display_stats_p = void (*)();
using icnt_display_overall_stats_p = void (*)();
using icnt_display_state_p = void (*)(std::FILE* file);
using icnt_get_flit_size_p = unsigned (*)();

/// Makes the networks for so many shaders, devices 0 and following, and memories, the devices behind them.
extern icnt_create_p icnt_create;
extern icnt_init_p icnt_init;
/// Whether the queue of a device has room for a packet.
extern icnt_has_buffer_p icnt_has_buffer;
/// Sends a packet; with two subnets those of shaders go by the first one, those of memories by the second.
extern icnt_push_p icnt_push;
/// Takes the next packet of a device; nullptr if there is none.
extern icnt_pop_p icnt_pop;
/// A cycle.
extern icnt_transfer_p icnt_transfer;
/// Packets are in the network or wait to be popped.
extern icnt_busy_p icnt_busy;
/// Runs cycles until all packets wait to be popped, or no more can move.
extern icnt_drain_p icnt_drain;
extern icnt_display_stats_p icnt_display_stats;
extern icnt_display_overall_stats_p icnt_display_overall_stats;
/// Stalls, and the dependency cycle of a deadlock.
extern icnt_display_state_p icnt_display_state;
/// In bytes.
extern icnt_get_flit_size_p icnt_get_flit_size;

/// The file of the network's configuration; set it before icnt_wrapper_init().
extern char* g_network_config_filename;

/// The kind of a packet by its data: 0 read, 1 write, 2 reply to a read, 3 reply to a write. Without it
/// packets of shaders are reads, those of memories replies to reads.
extern int (*icnt_packet_kind)(void* data);

/// Sets the pointers. Errors are printed and end the program, as BookSim2's do.
void icnt_wrapper_init();
