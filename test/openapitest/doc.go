// Package openapitest checks requests and replies of a host against its OpenAPI
// document, for the tests of handlers.
package openapitest
