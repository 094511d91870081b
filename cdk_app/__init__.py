"""The application: which stacks there are, how stages differ, what is checked at synth."""
