"""The report of a tournament as one HTML file: what was asked, the answers, and what it took.

`content` collects everything that the file says, from the modules that each answer one part of it;
`page` lays it out; `files` writes it and remembers what the next one compares with.
"""
