/** Ends a process with a status. */
export type Exit = (status: number) => void;
