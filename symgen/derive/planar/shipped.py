"""The planar modules of the shipped library beside the plain dyads: kernel, then arrangements as `[id:]key`."""

from __future__ import annotations

#: module id -> arguments of `symgen.derive.planar.modules.derive_shipped`. In the order of the library.
SHIPPED: dict[str, tuple[str, ...]] = {
    "dyad_rrr_driven": ("dyad_rrr", "R.R*.R.R 2D", "R.P*.R.R 2D"),
    "slot_rl": ("dyad_rrp", "R.Lpin 2D", "R.Lslot 2D"),
    "slot_pl": ("dyad_prp", "P.Lpin 2D", "P.Lslot 2D"),
    "triad_rr_rr_rr": (
        "triad_rr_rr_rr",
        "rr_rr_rr:<-|R|R|R; 1-2R 1-3R 1-4R> 2D",
        "ring_rr_rr_rr:<-|-|R|R; 1-3R 1-4R 2-3R 2-4R> 2D",
    ),
    "triad_rr_rr_pr": ("triad_rr_rr_pr", "rr_rr_pr:<-|R|R|P; 1-2R 1-3R 1-4R> 2D"),
    "triad_rr_rr_rp": ("triad_rr_rr_rp", "rr_rr_rp:<-|R|R|R; 1-2R 1-3R 1-4P> 2D"),
    "triad_rr_pr_pr": ("triad_rr_pr_pr", "rr_pr_pr:<-|R|P|P; 1-2R 1-3R 1-4R> 2D"),
    "triad_rr_pr_rp": ("triad_rr_pr_rp", "rr_pr_rp:<-|R|R|P; 1-2R 1-3P 1-4R> 2D"),
    "triad_rr_rp_rp": ("triad_rr_rp_rp", "rr_rp_rp:<-|R|R|R; 1-2R 1-3P 1-4P> 2D"),
    "triad_pr_pr_pr": ("triad_pr_pr_pr", "pr_pr_pr:<-|P|P|P; 1-2R 1-3R 1-4R> 2D", "Lpin.Lpin.Lpin 2D"),
    "triad_pr_pr_rp": ("triad_pr_pr_rp", "pr_pr_rp:<-|R|P|P; 1-2P 1-3R 1-4R> 2D", "Lpin.Lpin.Lslot 2D"),
    "triad_pr_rp_rp": ("triad_pr_rp_rp", "pr_rp_rp:<-|R|R|P; 1-2P 1-3P 1-4R> 2D", "Lpin.Lslot.Lslot 2D"),
    "triad_rp_rp_rp": ("triad_rp_rp_rp", "rp_rp_rp:<-|R|R|R; 1-2P 1-3P 1-4P> 2D", "Lslot.Lslot.Lslot 2D"),
}
