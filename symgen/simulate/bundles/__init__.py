"""What bundles of both dynamics engines share: their files under names of their own, and a run as parts of C."""
