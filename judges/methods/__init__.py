"""The judging methods: each turns a finished debate, or a pair of answers, into a verdict."""
