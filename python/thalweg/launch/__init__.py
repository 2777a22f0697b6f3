"""Starting programs: from `thalweg run`'s command line to the job's end."""
