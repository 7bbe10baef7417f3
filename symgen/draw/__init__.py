"""Pictures: the structural graph, the motion of a mechanism, plots over time; SVG and HTML as text."""
