"""What the tests share: servers, a test clock, sessions that race."""
