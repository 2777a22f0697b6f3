"""Starting programs: from `thalweg run`'s command line to the command that takes this process's place."""
