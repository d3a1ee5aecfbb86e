"""Providers' interfaces on loopback, written from their documentation; none met the original."""
