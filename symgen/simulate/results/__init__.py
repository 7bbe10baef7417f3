"""What a motion is told in: states, energies, reactions, efforts of drives, flexible beams, documents."""
