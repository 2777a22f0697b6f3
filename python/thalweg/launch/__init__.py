# SPDX-License-Identifier: BSD-3-Clause
"""Starting programs: from `thalweg run`'s command line to the job's end."""
