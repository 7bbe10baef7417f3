"""What exports cost on controllers, beside the C that CasADi writes and beside C written by hand."""
