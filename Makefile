# What is published of a version: make dist VERSION=v1.2.3
dist:
	go -C release run . -version $(VERSION)
.PHONY: dist
