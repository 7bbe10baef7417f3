"""Synthesis: all kinematic chains, mechanisms, trusses and structural groups of a given size, each once.

small_graphs     graphs as neighbour masks: canonical form, symmetries
chains           chains and trusses of one grade of pair, grown body by body
joint_types      pair types on the pairs of a chain, up to symmetry
loop_mobility    exact generic mobility of a chain, which pairs stand still
mechanisms       chain + frame link; inputs; Assur groups of trusses
group_weights, group_types
                 structural groups: constraints per pair, then types
files, document  mechanism files and the document symgen/synthesis/1
"""
