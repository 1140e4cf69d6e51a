// Without a graphics processor most of the time of a test goes into pictures: a context or page of fewFrames() draws some 6 a
// second instead of 60.
export const fewFrames = context => context.addInitScript(() => {
    const request = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = draw => setTimeout(() => request(draw), 150);
});
