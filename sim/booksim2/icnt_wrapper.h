// BookSim2's interface as function pointers, as simulators of GPUs call it: a drop-in with flitscope behind
// it (docs/embedding.md, "BookSim2's interface").
#pragma once

#include <cstdio>

/// Makes the networks for so many shaders, devices 0 and following, and memories, the devices behind them.
extern void (*icnt_create)(unsigned shaders, unsigned memories);
extern void (*icnt_init)();
/// Whether the queue of a device has room for a packet.
extern bool (*icnt_has_buffer)(unsigned input, unsigned bytes);
/// Sends a packet; with two subnets those of shaders go by the first one, those of memories by the second.
extern void (*icnt_push)(unsigned input, unsigned output, void* data, unsigned bytes);
/// Takes the next packet of a device; nullptr if there is none.
extern void* (*icnt_pop)(unsigned output);
/// A cycle.
extern void (*icnt_transfer)();
/// Packets are in the network or wait to be popped.
extern bool (*icnt_busy)();
/// Runs cycles until all packets wait to be popped, or no more can move.
extern void (*icnt_drain)();
extern void (*icnt_display_stats)();
extern void (*icnt_display_overall_stats)();
/// Stalls, and the dependency cycle of a deadlock.
extern void (*icnt_display_state)(std::FILE* file);
/// In bytes.
extern unsigned (*icnt_get_flit_size)();

/// The file of the network's configuration; set it before icnt_wrapper_init().
extern char* g_network_config_filename;

/// The kind of a packet by its data: 0 read, 1 write, 2 reply to a read, 3 reply to a write. Without it
/// packets of shaders are reads, those of memories replies to reads.
extern int (*icnt_packet_kind)(void* data);

/// Sets the pointers. Errors are printed and end the program, as BookSim2's do.
void icnt_wrapper_init();
