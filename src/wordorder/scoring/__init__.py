"""From files to numbers: one public function a verb."""
