// SPDX-License-Identifier: Apache-2.0
// Words that parameters and settings are given as.
#pragma once

// An edge leads from the vertex with the smaller number (id), or from that with fewer neighbours (degree);
// renumber: the same, and vertices get new numbers in the order of their degrees.
enum class Orientation { id, degree, renumber };
// What a thread takes: an edge after the other, or all edges of a vertex.
enum class Share { edge, row };
// How the elements that are looked up are shared out: a group of lanes has those of an edge, or threads have
// equal parts of those of many edges.
enum class Mapping { group, wedge };
// The table of a long row: a hash table, or a bit or a byte for each vertex of a window.
enum class Marks { hash, bits, bytes };
// Which rows a block has next: fixed ones, or the next that no block has.
enum class Turns { fixed, queue };
