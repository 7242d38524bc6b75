import type { JsonValue } from '@chandlery/api';

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: {
    secretKeyRef?: { name?: string; key: string; optional?: boolean };
    configMapKeyRef?: { name?: string; key: string; optional?: boolean };
    fieldRef?: { fieldPath: string };
    resourceFieldRef?: JsonValue;
  };
}

export interface VolumeMount {
  name: string;
  mountPath: string;
  subPath?: string;
  readOnly?: boolean;
}

export interface Volume {
  name: string;
  emptyDir?: JsonValue;
  secret?: { secretName?: string; items?: { key: string; path: string }[]; optional?: boolean };
  configMap?: { name?: string; items?: { key: string; path: string }[]; optional?: boolean };
  persistentVolumeClaim?: { claimName: string };
  [other: string]: unknown;
}

/** A container of a pod, as far as a runner uses it. */
export interface Container {
  name?: string;
  image?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  env?: EnvVar[];
  envFrom?: JsonValue[];
  volumeMounts?: VolumeMount[];
  resources?: { limits?: Record<string, string | number>; requests?: Record<string, string | number> };
  imagePullPolicy?: string;
  readinessProbe?: JsonValue;
  ports?: JsonValue[];
  securityContext?: JsonValue;
  [other: string]: unknown;
}

export interface Script extends Container {
  source: string;
}

export interface UserContainer extends Container {
  name: string;
  mirrorVolumeMounts?: boolean;
}

export interface ContainerNode extends Container {
  name: string;
  dependencies?: string[];
}

export interface ContainerSet {
  containers: ContainerNode[];
  volumeMounts?: VolumeMount[];
  retryStrategy?: { retries: number | string; duration?: string };
}
