"""What people and agents write, as styled lines."""
