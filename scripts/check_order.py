#!/usr/bin/env python3
"""Checks what `flitscope verify --order ORDER --routes ROUTES` wrote: that in ORDER every dependency goes up.

    check_order.py ORDER ROUTES [--bubble]

A message that holds a virtual channel of one hop of its way can wait for one of the next hop. If the rank of
the second is always higher, no dependency cycle of messages can wait for one another, and there is no deadlock (Dally
and Seitz, 1987). With --bubble ranks within a ring may be equal: between channels of one direction that differ
in the coordinate of that direction only. Exit code 0: the order holds; 1: it does not.
"""
import json
import sys


def ring(channel):
    """All that channels of one ring have in common: "[1, 0]+0" is in the ring ("+0", (None, 0))."""
    place, direction = channel[:channel.index("]") + 1], channel[channel.index("]") + 1:]
    coordinates = json.loads(place)
    coordinates[int(direction[1:])] = None
    return direction, tuple(coordinates)


def main():
    bubble = "--bubble" in sys.argv
    order, routes = [word for word in sys.argv[1:] if word != "--bubble"]
    rank = {}
    with open(order) as lines:
        for line in map(json.loads, lines):
            rank[line.get("step", 0), line["channel"], line["vc"]] = line["rank"]
    paths = dependencies = 0
    with open(routes) as lines:
        for line in map(json.loads, lines):
            paths += 1
            step = line.get("step", 0)
            for (channel, vcs), (following, further) in zip(line["hops"], line["hops"][1:]):
                for holds in vcs:
                    for wants in further:
                        dependencies += 1
                        low, high = rank.get((step, channel, holds)), rank.get((step, following, wants))
                        known = low is not None and high is not None
                        if known and low < high or bubble and known and low == high and (
                                ring(channel) == ring(following)):
                            continue
                        print(f"from {line['src']} to {line['dst']}: {channel} VC {holds} has rank {low}, "
                              f"{following} VC {wants} has {high}")
                        return 1
    print(f"{paths} paths, {dependencies} dependencies: each goes up")
    return 0


sys.exit(main())
