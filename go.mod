module github.com/model-catalog-service/svc

go 1.26
