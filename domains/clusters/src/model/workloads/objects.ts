import type { Condition, KubeObject, LabelSelectorObject } from '@chandlery/api';
import type { PodSpec } from '../pods/pod.ts';
import type { PodPhase, PodStatus } from '../pods/pod-status.ts';

/** A condition of a workload; some kinds also have the time of the last probe. */
export interface WorkloadCondition extends Condition {
  lastUpdateTime?: string;
  lastProbeTime?: string;
}

export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string>; finalizers?: string[] };
  spec?: PodSpec;
}

/** A Pod as controllers see it. */
export interface PodObject extends KubeObject {
  spec?: PodSpec & {
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly schedulerName?: string;
    readonly schedulingGates?: readonly unknown[];
    readonly subdomain?: string;
  };
  status?: Partial<Omit<PodStatus, 'conditions' | 'phase'>> & {
    phase?: PodPhase;
    conditions?: readonly Condition[];
    qosClass?: string;
  };
}

export interface ReplicaSet extends KubeObject {
  spec?: {
    replicas?: number;
    minReadySeconds?: number;
    selector?: LabelSelectorObject;
    template?: PodTemplate;
  };
  status?: {
    replicas?: number;
    fullyLabeledReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    observedGeneration?: number;
    conditions?: WorkloadCondition[];
  };
}

export interface RollingUpdate {
  maxSurge?: number | string;
  maxUnavailable?: number | string;
}

export interface Deployment extends KubeObject {
  spec?: {
    replicas?: number;
    selector?: LabelSelectorObject;
    template?: PodTemplate;
    strategy?: { type?: string; rollingUpdate?: RollingUpdate };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    paused?: boolean;
    progressDeadlineSeconds?: number;
  };
  status?: DeploymentStatus;
}

export interface DeploymentStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  conditions?: WorkloadCondition[];
  collisionCount?: number;
}

export interface Job extends KubeObject {
  spec?: {
    parallelism?: number;
    completions?: number;
    activeDeadlineSeconds?: number;
    backoffLimit?: number;
    selector?: LabelSelectorObject;
    manualSelector?: boolean;
    template?: PodTemplate;
    ttlSecondsAfterFinished?: number;
    completionMode?: string;
    suspend?: boolean;
    podReplacementPolicy?: string;
    managedBy?: string;
  };
  status?: JobStatus;
}

export interface JobStatus {
  conditions?: WorkloadCondition[];
  startTime?: string;
  completionTime?: string;
  active?: number;
  succeeded?: number;
  failed?: number;
  terminating?: number;
  ready?: number;
  completedIndexes?: string;
}

export interface ServicePort {
  name?: string;
  protocol?: string;
  port: number;
  targetPort?: number | string;
  appProtocol?: string;
}

export interface Service extends KubeObject {
  spec?: {
    type?: string;
    selector?: Record<string, string>;
    ports?: readonly ServicePort[];
    publishNotReadyAddresses?: boolean;
    clusterIP?: string;
  };
}

export interface Endpoint {
  addresses: string[];
  conditions: { ready: boolean; serving: boolean; terminating: boolean };
  nodeName?: string;
  hostname?: string;
  targetRef?: { kind: string; name: string; namespace: string; uid: string };
}

export interface SlicePort {
  name: string;
  protocol: string;
  port: number;
  appProtocol?: string;
}

export interface EndpointSlice extends KubeObject {
  addressType?: string;
  endpoints?: Endpoint[];
  ports?: SlicePort[];
}
