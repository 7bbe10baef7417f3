"""What verbs read from and write to: the terminal, the shell, files and folders; limits of memory."""
