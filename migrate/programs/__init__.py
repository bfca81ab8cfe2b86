"""What a program is: the files that share a process."""
