/** Labels and annotations on the data-plane cluster. The state of the agent is in them, and nowhere else. */
export const agentNames = {
  /** On everything that the agent applies: the product. */
  productLabel: 'fleet.chandlery.io/product',
  /** On everything that the agent applies: the instance. */
  instanceLabel: 'fleet.chandlery.io/instance',
  /** On namespaces: the placement that they were made for. */
  placementAnnotation: 'fleet.chandlery.io/placement-id',
  /** `"true"` on namespaces: they are going, and are never used again. */
  deletedAnnotation: 'fleet.chandlery.io/deleted',
  /** On namespaces: kinds of which the instance has had objects, as `["apps/v1/Deployment"]`. */
  kindsAnnotation: 'fleet.chandlery.io/kinds',
  /** On namespaces: digest of what was applied last. */
  appliedAnnotation: 'fleet.chandlery.io/applied',
  /** On namespaces: the versions that run, as `{"product": …, "operator": …}`. */
  versionsAnnotation: 'fleet.chandlery.io/versions',
  /** On namespaces: the DNS name of the instance. */
  hostAnnotation: 'fleet.chandlery.io/host',
  /** On a Service of a program: it is reachable from outside, at `<value>-<host>`, or at the host when empty. */
  routeAnnotation: 'fleet.chandlery.io/route',
  /** On a Service of a program with a route: the scheme of its address. Default https. */
  schemeAnnotation: 'fleet.chandlery.io/scheme',
  /** On a Service of a program: the name of the port that serves `/metrics` over plain HTTP. */
  metricsPortAnnotation: 'fleet.chandlery.io/metrics-port',
} as const;

/** Owns the fields that the agent applies. */
export const fieldManager = 'chandlery-fleet-agent';

/** Selects everything of a product. */
export const productSelector = (product: string): string => `${agentNames.productLabel}=${product}`;
