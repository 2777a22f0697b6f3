# SPDX-License-Identifier: BSD-3-Clause
"""Reports of runs, as `thalweg run --report` writes them: read, judged, and shown as a page."""
