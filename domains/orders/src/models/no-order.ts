/** What a plan is made from when there is no order yet: to see whether the controller can be executed at all. */
export const noOrder = { definitions: [], values: [] } as const;
