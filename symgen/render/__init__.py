"""Views and templates to files."""
