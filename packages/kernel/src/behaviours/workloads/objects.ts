import type { JsonObject, KubeObject, LabelSelectorObject } from '@chandlery/api';

// The parts of workload objects that their rules look at. Types are the schema's business: it is asked first.

/** A port that a container listens on. */
export interface ContainerPort {
  name?: string;
  containerPort: number;
  hostPort?: number;
  hostIP?: string;
  protocol?: string;
}

/** An environment variable. */
export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: Record<string, unknown>;
}

/** Compute resources: amounts are texts or numbers. */
export interface ResourceRequirements {
  limits?: Record<string, string | number>;
  requests?: Record<string, string | number>;
}

/** A container of any of the three lists of a pod. */
export interface Container {
  name: string;
  image?: string;
  ports?: ContainerPort[];
  env?: EnvVar[];
  resources?: ResourceRequirements;
  volumeMounts?: { name: string; mountPath: string }[];
  volumeDevices?: { name: string; devicePath: string }[];
}

/** A taint that is tolerated. */
export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

/** What a pod is to be. */
export interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  volumes?: ({ name: string } & Record<string, unknown>)[];
  restartPolicy?: string;
  activeDeadlineSeconds?: number;
  terminationGracePeriodSeconds?: number;
  tolerations?: Toleration[];
  schedulingGates?: { name: string }[];
  nodeSelector?: Record<string, string>;
  nodeName?: string;
  hostNetwork?: boolean;
  hostname?: string;
  subdomain?: string;
  serviceAccountName?: string;
  serviceAccount?: string;
}

/** State of one aspect of a pod. */
export interface PodCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastProbeTime?: string;
  lastTransitionTime?: string;
}

/** What became of a pod. */
export interface PodStatus {
  phase?: string;
  qosClass?: string;
  conditions?: PodCondition[];
}

/** A pod. */
export interface Pod extends KubeObject {
  spec?: PodSpec;
  status?: PodStatus;
}

/** A pod to be made. */
export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> } & JsonObject;
  spec?: PodSpec;
}

/** What the specs of all workloads share. */
export interface WorkloadSpec {
  selector?: LabelSelectorObject;
  template?: PodTemplate;
}
