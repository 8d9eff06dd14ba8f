package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// manifests are all objects of a kustomization, as a cluster would get them.
type manifests struct {
	deployment appsv1.Deployment
	service    corev1.Service
	autoscaler autoscalingv2.HorizontalPodAutoscaler
	disruption policyv1.PodDisruptionBudget
	network    networkingv1.NetworkPolicy
	configMap  corev1.ConfigMap
	names      []string
}

// built returns the objects of a kustomization. Each is decoded strictly into the
// API's own type: a member that it does not have, or one twice, is a fault. A kustomization
// may need a file.
func built(t *testing.T, name, file string, content []byte) *manifests {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("../packaging/kubernetes")); err != nil {
		t.Fatal(err)
	}
	if file != "" {
		if err := os.WriteFile(filepath.Join(folder, name, file), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	m := &manifests{}
	for _, r := range resources.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		kind := r.GetApiVersion() + " " + r.GetKind()
		m.names = append(m.names, kind)
		into := map[string]any{
			"apps/v1 Deployment": &m.deployment, "v1 Service": &m.service, "autoscaling/v2 HorizontalPodAutoscaler": &m.autoscaler,
			"policy/v1 PodDisruptionBudget": &m.disruption, "networking.k8s.io/v1 NetworkPolicy": &m.network, "v1 ConfigMap": &m.configMap,
		}[kind]
		if into == nil {
			t.Fatalf("what is %s for?", kind)
		}
		if err := yaml.UnmarshalStrict(text, into); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	return m
}

// Files on disk, too, have no member that the API does not know: kustomize might
// leave one out.
func TestManifestsStrict(t *testing.T) {
	m := &manifests{}
	for name, into := range map[string]any{
		"deployment": &m.deployment, "service": &m.service, "autoscaler": &m.autoscaler, "disruption": &m.disruption, "network": &m.network,
	} {
		text, err := os.ReadFile(filepath.Join("../packaging/kubernetes/base", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.UnmarshalStrict(text, into); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func exampleCatalog(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("../examples/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A catalog is in a ConfigMap that never changes and is named by what it holds.
func TestCatalogConfigMap(t *testing.T) {
	catalog := exampleCatalog(t)
	m := built(t, "configmap", "catalog.json", catalog)
	if len(m.names) != 6 {
		t.Errorf("objects are %q", m.names)
	}
	if m.configMap.Immutable == nil || !*m.configMap.Immutable || m.configMap.Data["catalog.json"] != string(catalog) {
		t.Errorf("the ConfigMap is %v and has %d bytes", m.configMap.Immutable, len(m.configMap.Data["catalog.json"]))
	}
	volume := m.deployment.Spec.Template.Spec.Volumes[0]
	if volume.ConfigMap == nil || volume.ConfigMap.Name != m.configMap.Name || !regexp.MustCompile(`^svc-catalog-[a-z0-9]{10}$`).MatchString(m.configMap.Name) {
		t.Errorf("the volume is %+v of %s", volume, m.configMap.Name)
	}
	other := built(t, "configmap", "catalog.json", bytes.Replace(catalog, []byte("acme"), []byte("emca"), 1))
	if other.configMap.Name == m.configMap.Name {
		t.Error("another catalog has the same name")
	}
	wantSound(t, m)
	wantAlone(t, m)
}

// A larger one is an image, by digest.
func TestCatalogImage(t *testing.T) {
	m := built(t, "image", "", nil)
	if len(m.names) != 5 {
		t.Errorf("objects are %q", m.names)
	}
	volume := m.deployment.Spec.Template.Spec.Volumes[0]
	if volume.Name != "catalog" || volume.ConfigMap != nil || volume.Image == nil || !regexp.MustCompile(`@sha256:[0-9a-f]{64}$`).MatchString(volume.Image.Reference) {
		t.Errorf("the volume is %+v", volume)
	}
	wantSound(t, m)
	wantAlone(t, m)
}

// One that a tag of a registry names needs no volume but that of the key, and a way to the registry.
func TestCatalogOfRegistry(t *testing.T) {
	const key = "-----BEGIN PUBLIC KEY-----"
	m := built(t, "registry", "publisher.pem", []byte(key))
	if len(m.names) != 6 || m.configMap.Data["publisher.pem"] != key {
		t.Errorf("objects are %q, with %q", m.names, m.configMap.Data)
	}
	pod := m.deployment.Spec.Template.Spec
	c, volume := pod.Containers[0], pod.Volumes[0]
	if len(pod.Volumes) != 1 || volume.ConfigMap == nil || volume.ConfigMap.Name != m.configMap.Name || len(c.VolumeMounts) != 1 {
		t.Errorf("volumes are %+v, mounted %+v", pod.Volumes, c.VolumeMounts)
	}
	env := map[string]string{}
	for _, e := range c.Env {
		env[e.Name] = e.Value
	}
	if env["SVC_SERVE_FOLLOW"] != "5m" || env["SVC_TRUST_KEY"] != c.VolumeMounts[0].MountPath+"/publisher.pem" {
		t.Errorf("variables are %v", env)
	}
	if name, ok := strings.CutPrefix(strings.Join(c.Args[:3], " "), "serve --catalog oci://"); !ok || !strings.Contains(name, ":") {
		t.Errorf("args are %q", c.Args)
	}
	ports := map[string]bool{}
	for _, rule := range m.network.Spec.Egress {
		for _, p := range rule.Ports {
			ports[fmt.Sprint(*p.Protocol, p.Port)] = true
		}
	}
	if !maps.Equal(ports, map[string]bool{"TCP443": true, "UDP53": true, "TCP53": true}) {
		t.Errorf("svc may ask %v", ports)
	}
	if limit := c.Resources.Limits.Memory().Value(); limit < 1<<30+100<<20 {
		t.Errorf("%d bytes are no room for two catalogs", limit)
	}
	wantSound(t, m)
}

// wantAlone demands that svc has its catalog in a volume and asks nobody.
func wantAlone(t *testing.T, m *manifests) {
	t.Helper()
	c := m.deployment.Spec.Template.Spec.Containers[0]
	if len(m.network.Spec.Egress) > 0 {
		t.Errorf("svc asks nobody: %+v", m.network.Spec)
	}
	if want := "serve --catalog " + c.VolumeMounts[0].MountPath + "/catalog.json --host 0.0.0.0 --port 4244"; strings.Join(c.Args, " ") != want {
		t.Errorf("args are %q", c.Args)
	}
}

// wantSound holds the objects against each other and against what svc does.
func wantSound(t *testing.T, m *manifests) {
	t.Helper()
	pod := m.deployment.Spec.Template.Spec
	labels := m.deployment.Spec.Template.Labels
	for name, selector := range map[string]map[string]string{
		"Deployment": m.deployment.Spec.Selector.MatchLabels, "Service": m.service.Spec.Selector, "PodDisruptionBudget": m.disruption.Spec.Selector.MatchLabels,
		"NetworkPolicy": m.network.Spec.PodSelector.MatchLabels, "spread": pod.TopologySpreadConstraints[0].LabelSelector.MatchLabels,
	} {
		if len(selector) == 0 {
			t.Errorf("%s selects everything", name)
		}
		for key, value := range selector {
			if labels[key] != value {
				t.Errorf("%s does not select the pods", name)
			}
		}
	}
	target := m.autoscaler.Spec.ScaleTargetRef
	if target.Name != m.deployment.Name || target.Kind != m.deployment.Kind || target.APIVersion != m.deployment.APIVersion {
		t.Errorf("scaled is %+v", target)
	}
	if least := m.autoscaler.Spec.MinReplicas; least == nil || *least < 2 || m.autoscaler.Spec.MaxReplicas <= *least || m.deployment.Spec.Replicas != nil {
		t.Errorf("replicas: %v, %v", m.autoscaler.Spec, m.deployment.Spec.Replicas)
	}
	if m.disruption.Spec.MaxUnavailable.IntValue() != 1 {
		t.Errorf("%+v", m.disruption.Spec)
	}
	wantShutOff(t, &pod)
	c := pod.Containers[0]
	ports := map[string]int32{}
	for _, p := range c.Ports {
		ports[p.Name] = p.ContainerPort
	}
	if got := m.service.Spec.Ports[0].TargetPort.String(); ports[got] != 4244 {
		t.Errorf("the service leads to %s", got)
	}
	for path, probe := range map[string]*corev1.Probe{"/healthz": c.LivenessProbe, "/readyz": c.ReadinessProbe} {
		if got := probe.HTTPGet; got == nil || got.Path != path || ports[got.Port.String()] != 9090 {
			t.Errorf("the probe of %s is %+v", path, got)
		}
	}
	for _, e := range c.Env {
		if e.Name == "SVC_ADMIN_ADDR" && e.Value != ":9090" {
			t.Errorf("%+v", e)
		}
	}
	const drain = 10 // seconds: server.Grace
	if wait := c.Lifecycle.PreStop.Sleep.Seconds; *pod.TerminationGracePeriodSeconds <= wait+drain {
		t.Errorf("%d seconds to end, %d before the signal", *pod.TerminationGracePeriodSeconds, wait)
	}
	if len(m.network.Spec.PolicyTypes) != 2 {
		t.Errorf("svc asks whom it likes: %+v", m.network.Spec)
	}
}

// wantShutOff demands of a pod what the strictest of Kubernetes' own standards
// does, and limits.
func wantShutOff(t *testing.T, pod *corev1.PodSpec) {
	t.Helper()
	s := pod.SecurityContext
	if s.RunAsNonRoot == nil || !*s.RunAsNonRoot || *s.RunAsUser != 65532 || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("%+v", s)
	}
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		t.Error("the pod gets a token")
	}
	if len(pod.Containers) != 1 {
		t.Fatalf("%d containers", len(pod.Containers))
	}
	c := pod.Containers[0]
	own := c.SecurityContext
	if !*own.ReadOnlyRootFilesystem || *own.AllowPrivilegeEscalation || len(own.Capabilities.Drop) != 1 || own.Capabilities.Drop[0] != "ALL" || len(own.Capabilities.Add) > 0 {
		t.Errorf("%+v", own)
	}
	for _, list := range []corev1.ResourceList{c.Resources.Requests, c.Resources.Limits} {
		if list.Cpu().IsZero() || list.Memory().IsZero() {
			t.Errorf("%+v", c.Resources)
		}
	}
}
