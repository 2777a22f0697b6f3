# SPDX-License-Identifier: BSD-3-Clause
"""What measures Thalweg: benchmarks beside peers, figures of papers, and the demo. No part of the product's wheel."""
