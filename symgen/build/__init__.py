"""C files to a loaded module: compiler call, content-addressed cache, digest check.

>>> from symgen.build.load import load_module     # doctest: +SKIP
>>> module = load_module(sources)                 # doctest: +SKIP
>>> module.lib.symgen_dyad_rrr_kernel_position    # doctest: +SKIP
"""
