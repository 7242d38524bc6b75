/** The API group of Argo's kinds. */
export const argoGroup = 'argoproj.io';

/** The version of Argo's kinds. */
export const argoVersion = 'v1alpha1';

/** `apiVersion` of Argo's kinds. */
export const argoApiVersion = `${argoGroup}/${argoVersion}`;

/** The API group of what the controller stores for itself. */
export const workflowsGroup = 'workflows.chandlery.io';

/** The logical cluster on which workflows run. */
export const workflowsCluster = 'platform';

/** Labels that Argo's controller keeps, and by which its command line selects. */
export const workflowLabels = {
  phase: 'workflows.argoproj.io/phase',
  completed: 'workflows.argoproj.io/completed',
  /** Which controller takes care of a Workflow, where there are several. */
  instanceId: 'workflows.argoproj.io/controller-instanceid',
  /** On pods and on what belongs to a workflow: its name. */
  workflow: 'workflows.argoproj.io/workflow',
  cronWorkflow: 'workflows.argoproj.io/cron-workflow',
  resubmittedFrom: 'workflows.argoproj.io/resubmitted-from-workflow',
} as const;

/** Annotations of Argo, and ours. */
export const workflowAnnotations = {
  /** `true`: braces in values of arguments never act as tags. */
  inertValues: `${workflowsGroup}/inert-values`,
  nodeId: 'workflows.argoproj.io/node-id',
  nodeName: 'workflows.argoproj.io/node-name',
  template: 'workflows.argoproj.io/template',
  scheduledTime: 'workflows.argoproj.io/scheduled-time',
} as const;

/** Drivers of artifacts that landscapes have; `s3` with only a key is the built-in store. */
export const artifactDrivers = ['raw', 's3'] as const;
