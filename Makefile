# What is published of a version: make dist VERSION=v1.2.3 MAINTAINER="Name <address>"
dist:
	go -C release run . -version $(VERSION) -maintainer "$(MAINTAINER)"
.PHONY: dist
