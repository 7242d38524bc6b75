/** Headings in the overview of commands. */
export const groups = {
  brokers: 'Brokers and platforms',
  catalog: 'Catalog and visibilities',
  instances: 'Instances and bindings',
  others: 'Operations, and any request to the service manager',
} as const;
