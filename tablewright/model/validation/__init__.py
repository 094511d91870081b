"""Validation of designs and of records. Designs are validated at synth and test time only."""
