"""Connections and signatures of awscrt, with the names and methods of the wire client's modules."""
