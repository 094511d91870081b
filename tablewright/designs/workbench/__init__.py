"""NoSQL Workbench: designs as models that it opens, and models as designs."""
