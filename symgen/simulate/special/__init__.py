"""Special engines: trees of bodies on ball joints, planar trees of bodies on pins; nothing is compiled anew."""
