"""Which groups are solved when: tasks, levels, routes, cores."""
