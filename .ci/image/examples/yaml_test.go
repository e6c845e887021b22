package shop_test

import (
	"os"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// The manifest has only members that Kubernetes knows, in the places where it knows them, and its parts fit together.
func TestKubernetes(t *testing.T) {
	text, err := os.ReadFile("kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "\n---\n")
	if len(parts) != 2 {
		t.Fatalf("the manifest has %d parts", len(parts))
	}
	var deployment apps.Deployment
	if err := yaml.UnmarshalStrict([]byte(parts[0]), &deployment); err != nil {
		t.Fatal(err)
	}
	var service core.Service
	if err := yaml.UnmarshalStrict([]byte(parts[1]), &service); err != nil {
		t.Fatal(err)
	}
	pod := deployment.Spec.Template
	if deployment.Kind != "Deployment" || deployment.APIVersion != "apps/v1" || service.Kind != "Service" || service.APIVersion != "v1" {
		t.Fatal("the kinds are wrong")
	}
	for key, value := range service.Spec.Selector {
		if pod.Labels[key] != value || deployment.Spec.Selector.MatchLabels[key] != value {
			t.Fatal("a selector does not fit the labels of the pod")
		}
	}
	container := pod.Spec.Containers[0]
	if port := service.Spec.Ports[0].TargetPort.StrVal; port != container.Ports[0].Name {
		t.Fatalf("the service is for another port, %s", port)
	}
	for _, probe := range []*core.Probe{container.StartupProbe, container.LivenessProbe, container.ReadinessProbe} {
		if probe == nil || probe.HTTPGet.Port.StrVal != container.Ports[0].Name {
			t.Fatal("a probe is missing or for another port")
		}
	}
	if !*container.SecurityContext.ReadOnlyRootFilesystem || !*pod.Spec.SecurityContext.RunAsNonRoot {
		t.Fatal("the pod may do more than it needs")
	}
}

// The other examples are YAML without repeated names.
func TestOtherYAML(t *testing.T) {
	for _, file := range []string{"compose.yaml", "job.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var document map[string]any
		if err := yaml.UnmarshalStrict(text, &document); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
}
