"""Pictures of sensitivities and their witnesses."""
