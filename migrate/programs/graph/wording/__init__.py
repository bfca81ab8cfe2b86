"""Forms that are followed once they are spelled in another one."""
