/** Ends a subscription. Calling it again has no effect. */
export type Unsubscribe = () => void;
