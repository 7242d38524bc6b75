import type { JsonValue } from '@chandlery/api';

/** Where the value of a parameter comes from. */
export interface ValueFrom {
  path?: string;
  jsonPath?: string;
  jqFilter?: string;
  event?: string;
  /** A reference to an output of a child: `{{tasks.a.outputs.parameters.x}}`. */
  parameter?: string;
  expression?: string;
  /** Set by a command on a suspended node. */
  supplied?: JsonValue;
  default?: string;
  configMapKeyRef?: { name?: string; key: string; optional?: boolean };
}

export interface Parameter {
  name: string;
  value?: string;
  default?: string;
  valueFrom?: ValueFrom;
  globalName?: string;
  enum?: string[];
  description?: string;
}

/** Where the bytes of an artifact are, by name of the driver. */
export interface ArtifactLocation {
  raw?: { data: string };
  http?: JsonValue;
  git?: JsonValue;
  s3?: JsonValue;
  gcs?: JsonValue;
  azure?: JsonValue;
  oss?: JsonValue;
  hdfs?: JsonValue;
  artifactory?: JsonValue;
  plugin?: JsonValue;
}

export interface Artifact extends ArtifactLocation {
  name: string;
  path?: string;
  mode?: number;
  recurseMode?: boolean;
  from?: string;
  fromExpression?: string;
  subPath?: string;
  optional?: boolean;
  globalName?: string;
  archive?: { none?: JsonValue; zip?: JsonValue; tar?: { compressionLevel?: number } };
  archiveLogs?: boolean;
  deleted?: boolean;
}

export interface Arguments {
  parameters?: Parameter[];
  artifacts?: Artifact[];
}

export type Inputs = Arguments;

export interface Outputs extends Arguments {
  result?: string;
  exitCode?: string;
}
