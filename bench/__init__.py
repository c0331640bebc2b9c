"""Speed: big invented state files, helpers that measure, and the benchmarks that use both.

Nothing here is imported by the app. Results are given as ratios against a floor measured in the
same run, because wall times alone say more about the load of a machine than about the code.
"""
